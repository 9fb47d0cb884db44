module crmclient

go 1.19
